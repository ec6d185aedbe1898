import { describe, expect, it } from "vitest";
import { ERROR_CODES, PROBLEMS, type Problem, problemBody } from "../../../proxy/request/problems.ts";
import { problemOfParserError, rawProblem } from "../../../proxy/request/raw-problem.ts";
import { ErrorEnvelope } from "../../../snapshots/format/envelope.ts";
import { STATUSES_OF } from "../wire/faults-of-answer.ts";

const ALL = Object.entries(PROBLEMS) as [Problem, (typeof PROBLEMS)[Problem]][];

describe("the table of situations", () => {
  it.each(ALL)("%s has the status of its code, and an envelope", (problem, outcome) => {
    expect(STATUSES_OF[outcome.code]).toContain(outcome.status);
    const body = problemBody(problem);
    expect(ErrorEnvelope.parse(JSON.parse(body.toString()))).toEqual({
      error: { code: outcome.code, message: outcome.message },
    });
    expect(body).toBe(problemBody(problem));
  });

  it("uses every stable code, and says when to come back from each 503", () => {
    expect(new Set(ALL.map(([, outcome]) => outcome.code))).toEqual(new Set(ERROR_CODES));
    for (const [, { status, retryAfterSeconds }] of ALL) {
      const isFit = retryAfterSeconds !== undefined && retryAfterSeconds >= 1 && retryAfterSeconds <= 5;
      expect(isFit).toBe(status === 503);
    }
  });
});

describe("answers without a request", () => {
  it.each([
    { code: "HPE_HEADER_OVERFLOW", want: "HTTP/1.1 431 Request Header Fields Too Large" },
    { code: "ERR_HTTP_REQUEST_TIMEOUT", want: "HTTP/1.1 408 Request Timeout" },
    { code: "HPE_INVALID_METHOD", want: "HTTP/1.1 400 Bad Request" },
    { code: undefined, want: "HTTP/1.1 400 Bad Request" },
  ])("$code", ({ code, want }) => {
    const text = rawProblem(problemOfParserError(code), "id-1", 0).toString();
    const [head = "", body = ""] = text.split("\r\n\r\n");
    expect(head.split("\r\n")[0]).toBe(want);
    expect(head).toContain("\r\nconnection: close");
    expect(head).toContain("\r\nx-request-id: id-1");
    expect(head).toContain(`\r\ncontent-length: ${Buffer.byteLength(body)}`);
    expect(JSON.parse(body).error.code).toBe("INVALID_REQUEST");
  });
});
