import { describe, expect, it } from "vitest";
import { CONNECTION_LIMITS } from "../../../proxy/server/limits.ts";
import { isOutOfFiles, parseOpenFilesMax, planConnections } from "../../../proxy/server/open-files.ts";

const CONNECTIONS_MAX = CONNECTION_LIMITS.connectionsMax;

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             127441               127441               processes
Max open files            1024                 524288               files
Max locked memory         8388608              8388608              bytes
`;

describe("parseOpenFilesMax", () => {
  it.each([
    { why: "the soft limit", text: LIMITS, is: 1024 },
    { why: "none", text: LIMITS.replace("1024 ", "unlimited "), is: undefined },
    { why: "another system's text", text: "open files (-n) 256", is: undefined },
    { why: "nothing", text: "", is: undefined },
  ])("reads $why", ({ text, is }) => {
    expect(parseOpenFilesMax(text)).toBe(is);
  });
});

describe("planConnections", () => {
  it.each([
    { why: "nobody knows the limit", openFilesMax: undefined, is: CONNECTIONS_MAX, isWarned: false },
    { why: "plenty", openFilesMax: 1_000_000, is: CONNECTIONS_MAX, isWarned: false },
    { why: "just enough", openFilesMax: CONNECTIONS_MAX + 128, is: CONNECTIONS_MAX, isWarned: false },
    { why: "one too few", openFilesMax: CONNECTIONS_MAX + 127, is: CONNECTIONS_MAX - 1, isWarned: true },
    { why: "what a shell often gives", openFilesMax: 1024, is: 896, isWarned: true },
    { why: "the fewest", openFilesMax: 192, is: 64, isWarned: true },
  ])("leaves room for the other files: $why", ({ openFilesMax, is, isWarned }) => {
    const { connectionsMax, warning } = planConnections(CONNECTIONS_MAX, openFilesMax);
    expect([connectionsMax, warning !== undefined]).toEqual([is, isWarned]);
    if (warning !== undefined) expect(warning).toContain(`only ${is} connections`);
  });

  it.each([191, 128, 0])("refuses a limit of %d, and says how to raise it", (openFilesMax) => {
    expect(() => planConnections(CONNECTIONS_MAX, openFilesMax)).toThrow(
      expect.objectContaining({ code: "OPEN_FILES_TOO_FEW", hint: expect.stringContaining("ulimit -n") }),
    );
  });
});

describe("isOutOfFiles", () => {
  const coded = (code: string, cause?: unknown) => Object.assign(new Error("x", { cause }), { code });
  it.each([
    { why: "this process", error: coded("EMFILE"), is: true },
    { why: "the machine", error: coded("ENFILE"), is: true },
    { why: "below another error", error: coded("SNAPSHOT_INVALID", coded("EMFILE")), is: true },
    { why: "another code", error: coded("EACCES", coded("EIO")), is: false },
    { why: "no error", error: { code: "EMFILE" }, is: false },
  ])("$why: $is", ({ error, is }) => {
    expect(isOutOfFiles(error)).toBe(is);
  });
});
