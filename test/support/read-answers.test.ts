import { describe, expect, it } from "vitest";
import { readAnswers } from "../proxy/support/read-answers.ts";

const read = (text: string, methods?: readonly string[]) => {
  const { answers, fault } = readAnswers(Buffer.from(text, "latin1"), methods);
  return [...answers.map(({ status, bytes }) => `${status} ${bytes.toString()}`), fault].filter(Boolean);
};

describe("readAnswers (the tests' own reader)", () => {
  it.each([
    { why: "nothing", text: "", want: [] },
    { why: "one", text: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", want: ["200 hi"] },
    {
      why: "two",
      text: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhiHTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n",
      want: ["200 hi", "404 "],
    },
    { why: "204 has no body", text: "HTTP/1.1 204 No Content\r\n\r\n", want: ["204 "] },
    {
      why: "HEAD has none either",
      text: "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
      methods: ["HEAD"],
      want: ["200 "],
    },
    {
      why: "cut off in the body",
      text: "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi",
      want: ["a body shorter than its length"],
    },
    { why: "cut off in the head", text: "HTTP/1.1 200 OK\r\nA: b", want: ["a head without an end"] },
    {
      why: "more than the body",
      text: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nhi\r\n\r\n",
      want: ["200 h", "no status line"],
    },
    { why: "no length", text: "HTTP/1.1 200 OK\r\n\r\n", want: ["a body without a length"] },
    {
      why: "a length that is none",
      text: "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\nh",
      want: ["a body without a length"],
    },
    {
      why: "chunks",
      text: "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nh",
      want: ["a body without a length"],
    },
    { why: "another version", text: "HTTP/2.0 200 OK\r\n\r\n", want: ["no status line"] },
    {
      why: "a folded line",
      text: "HTTP/1.1 204 No\r\nA: b\r\n c\r\n\r\n",
      want: ["a line that is no header"],
    },
  ])("$why", ({ text, methods, want }) => {
    expect(read(text, methods)).toEqual(want);
  });

  it("tells of names that came twice", () => {
    const { answers } = readAnswers(Buffer.from("HTTP/1.1 204 No\r\nA: b\r\na: c\r\n\r\n"));
    expect(answers[0]?.duplicates).toEqual(["a"]);
  });
});
