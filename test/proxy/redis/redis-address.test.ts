import { expect, it } from "vitest";
import { nameOfRedis, parseRedisAddress } from "../../../proxy/redis/redis-address.ts";

const PLAIN = {
  host: "127.0.0.1",
  port: 6379,
  isTls: false,
  database: 0,
  username: undefined,
  password: undefined,
};

it.each([
  { why: "only a host", text: "redis://127.0.0.1", want: PLAIN },
  { why: "a slash says nothing", text: "redis://127.0.0.1/", want: PLAIN },
  {
    why: "port and database",
    text: "redis://127.0.0.1:7000/15",
    want: { ...PLAIN, port: 7000, database: 15 },
  },
  {
    why: "TLS",
    text: "rediss://cache.example.org/1",
    want: { ...PLAIN, host: "cache.example.org", isTls: true, database: 1 },
  },
  { why: "IPv6", text: "redis://[::1]:7000", want: { ...PLAIN, host: "::1", port: 7000 } },
  { why: "a password alone", text: "redis://:s3cret@127.0.0.1", want: { ...PLAIN, password: "s3cret" } },
  {
    why: "a password with signs",
    text: "redis://me:a%2Fb%40c@127.0.0.1",
    want: { ...PLAIN, username: "me", password: "a/b@c" },
  },
])("reads $why", ({ text, want }) => {
  expect(parseRedisAddress(text)).toEqual(want);
});

it.each([
  { why: "nothing", text: "" },
  { why: "another protocol", text: "http://127.0.0.1" },
  { why: "a word", text: "redis" },
  { why: "no host", text: "redis:///0" },
  { why: "a database that is no number", text: "redis://127.0.0.1/x" },
  { why: "a database below 0", text: "redis://127.0.0.1/-1" },
  { why: "a database with a leading zero", text: "redis://127.0.0.1/01" },
  { why: "two parts of a path", text: "redis://127.0.0.1/0/1" },
  { why: "options, which would be passed over", text: "redis://127.0.0.1/0?ssl=true" },
  { why: "a fragment: a password with a # in it", text: "redis://127.0.0.1/0#x" },
  { why: "a user without a password", text: "redis://me@127.0.0.1" },
  { why: "a password that is not encoded", text: "redis://me:%@127.0.0.1" },
  { why: "a port beyond all", text: "redis://127.0.0.1:65536" },
])("refuses $why", ({ text }) => {
  expect(parseRedisAddress(text)).toBeUndefined();
});

it("names an address without who speaks to it", () => {
  const named = ["redis://me:s3cret@[::1]:7000/3", "redis://me:s3cret@host"].map((text) => {
    const address = parseRedisAddress(text);
    return address && nameOfRedis(address);
  });
  expect(named).toEqual(["[::1]:7000", "host:6379"]);
});
