import { describe, expect, it } from "vitest";
import { threadsOf } from "../../../../pipeline/cli/options/settings.ts";

describe("--threads", () => {
  it.each([
    { given: "0", threads: 0, why: "low: all in one thread" },
    { given: "2", threads: 2, why: "as asked, whatever the machine has" },
    { given: "16", threads: 16, why: "high" },
    { given: undefined, threads: 0, why: "gap: what runs from its sources starts none by itself" },
  ])("$given is $threads ($why)", ({ given, threads }) => expect(threadsOf({}, given)).toBe(threads));

  it.each(["17", "-1", "1.5", "two", ""])("refuses %j", (given) =>
    expect(() => threadsOf({}, given)).toThrow(
      expect.objectContaining({
        code: "BAD_OPTION",
        message: "--threads is not a whole number from 0 to 16",
      }),
    ),
  );
});
