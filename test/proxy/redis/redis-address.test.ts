import { describe, expect, it } from "vitest";
import { nameOfRedis, readRedisAddress } from "../../../proxy/redis/redis-address.ts";

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
  expect(readRedisAddress(text)).toEqual(want);
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
  { why: "an option twice", text: "redis://10.0.0.1/0?password-in-clear=yes&password-in-clear=yes" },
  { why: "another word than yes", text: "redis://10.0.0.1/0?password-in-clear=no" },
  { why: "a fragment: a password with a # in it", text: "redis://127.0.0.1/0#x" },
  { why: "a user without a password", text: "redis://me@127.0.0.1" },
  { why: "a password that is not encoded", text: "redis://me:%@127.0.0.1" },
  { why: "a port beyond all", text: "redis://127.0.0.1:65536" },
])("refuses $why", ({ text }) => {
  expect(() => readRedisAddress(text)).toThrow(
    expect.objectContaining({ code: "BAD_OPTION", message: "GOVDATA_QUOTA is not the address of a Redis." }),
  );
});

it("names an address without who speaks to it", () => {
  const texts = ["redis://me:s3cret@[::1]:7000/3", "rediss://me:s3cret@host"];
  const named = texts.map((text) => nameOfRedis(readRedisAddress(text)));
  expect(named).toEqual(["[::1]:7000", "host:6379"]);
});

describe("a password", () => {
  const away = { code: "BAD_OPTION", message: expect.stringContaining("in clear") };
  it.each([
    { why: "a name of another machine", text: "redis://:s3cret@redis.internal" },
    { why: "an address of a private net", text: "redis://me:s3cret@10.0.0.7:6379/1" },
    { why: "IPv6 of another machine", text: "redis://:s3cret@[fd00::1]" },
    { why: "a name that only begins like loopback", text: "redis://:s3cret@127.0.0.1.example.org" },
    { why: "localhost of somebody else", text: "redis://:s3cret@localhost.example.org" },
    { why: "every address of this machine", text: "redis://:s3cret@0.0.0.0" },
  ])("is not sent in clear: $why", ({ text }) => {
    expect(() => readRedisAddress(text)).toThrow(expect.objectContaining(away));
    expect(() => readRedisAddress(text)).toThrow(expect.not.stringContaining("s3cret"));
    expect(readRedisAddress(text.replace("redis:", "rediss:")).password).toBe("s3cret");
    const said = `${text}?password-in-clear=yes`;
    expect(readRedisAddress(said).password, "its operator says that it may").toBe("s3cret");
    expect(readRedisAddress(text.replace(/\/\/.*@/, "//")).password, "there is none").toBeUndefined();
  });

  it.each(["127.0.0.1", "127.1.2.3", "[::1]", "localhost", "LOCALHOST"])("may be sent to %s", (host) => {
    expect(readRedisAddress(`redis://:s3cret@${host}:7000`).password).toBe("s3cret");
  });
});
