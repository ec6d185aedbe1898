import { describe, expect, it } from "vitest";
import { ERROR_CODES, PROBLEMS, type Problem } from "../../../proxy/request/problems.ts";
import { createResponses } from "../../../proxy/request/response.ts";
import { ErrorEnvelope } from "../../../snapshots/format/envelope.ts";
import { STATUSES_OF } from "../support/faults-of-answer.ts";

const ANSWERS = createResponses(new Set());
const ALL = Object.entries(PROBLEMS) as [Problem, (typeof PROBLEMS)[Problem]][];

describe("the table of problems", () => {
  it.each(ALL)("%s has the status of its code, and an envelope", (problem, outcome) => {
    expect(STATUSES_OF[outcome.code]).toContain(outcome.status);
    const { status, body } = ANSWERS.ofProblem(problem);
    expect(status).toBe(outcome.status);
    expect(ErrorEnvelope.parse(JSON.parse(String(body)))).toEqual({
      error: { code: outcome.code, message: outcome.message },
    });
    expect(ANSWERS.ofProblem(problem).body, "the same bytes every time").toBe(body);
  });

  it("uses every stable code, and says when to come back from each 503", () => {
    expect(new Set(ALL.map(([, outcome]) => outcome.code))).toEqual(new Set(ERROR_CODES));
    for (const [, { status, retryAfterSeconds }] of ALL) {
      const isFit = retryAfterSeconds !== undefined && retryAfterSeconds >= 1 && retryAfterSeconds <= 5;
      expect(isFit).toBe(status === 503);
    }
  });
});

it("names the limits that are allowed, in the words that callers read", () => {
  expect(PROBLEMS["limit-invalid"].message).toBe("limit must be given once, as one of 10, 20, 50, 100.");
});
