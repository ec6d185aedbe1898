import { describe, expect, it } from "vitest";
import { createHotAnswers } from "../../../proxy/fast-path/hot-answers.ts";

const STANDING = { limit: 100, remaining: 7, resetAtMs: 1_795_305_600_000, secondsToReset: 60 };
const request = (bytes: Buffer, more: Partial<Parameters<ReturnType<typeof createHotAnswers>>[0]> = {}) => ({
  body: { bytes, etag: '"e"' },
  encoding: "identity" as const,
  snapshotVersion: "v",
  requestId: "id",
  standing: STANDING,
  isNotModified: false,
  ...more,
});
const headersOf = (lines: readonly string[]) =>
  Object.fromEntries(lines.flatMap((name, at) => (at % 2 === 0 ? [[name, lines[at + 1]]] : [])));

describe("createHotAnswers", () => {
  it.each([
    { bytes: 1, isText: true },
    { bytes: 4_096, isText: true },
    { bytes: 4_097, isText: false },
  ])("sends a body of $bytes bytes as text: $isText, and the very bytes either way", ({ bytes, isText }) => {
    const body = Buffer.from(Uint8Array.from({ length: bytes }, (_, at) => at % 256));
    const hot = createHotAnswers(false)(request(body));
    expect(typeof hot.body === "string").toBe(isText);
    expect(typeof hot.body === "string" ? Buffer.from(hot.body, "latin1") : hot.body).toEqual(body);
    expect(headersOf(hot.lines)).toMatchObject({ "content-length": String(bytes) });
  });

  it("gives each request its own id and standing, on the same body", () => {
    const answer = createHotAnswers(false);
    const one = request(Buffer.from("{}"));
    const [first, second] = [
      headersOf(answer(one).lines),
      headersOf(answer({ ...one, requestId: "other", standing: { ...STANDING, remaining: 6 } }).lines),
    ];
    expect([first["x-request-id"], second["x-request-id"]]).toEqual(["id", "other"]);
    expect([first["x-ratelimit-remaining"], second["x-ratelimit-remaining"]]).toEqual(["7", "6"]);
  });

  it("says of a body that the caller has neither length nor encoding, and sends none of it", () => {
    const hot = createHotAnswers(false)(
      request(Buffer.from("{}"), { isNotModified: true, encoding: "gzip" }),
    );
    expect(hot.body).toBeUndefined();
    const headers = headersOf(hot.lines);
    expect(headers).toMatchObject({ etag: '"e"', "x-snapshot-version": "v" });
    expect(Object.keys(headers)).not.toContain("content-length");
    expect(Object.keys(headers)).not.toContain("content-encoding");
  });

  it.each([
    { hasCorsOrigins: false, vary: "x-api-key, accept-encoding" },
    { hasCorsOrigins: true, vary: "x-api-key, accept-encoding, origin" },
  ])("varies by origin only where origins may call: $hasCorsOrigins", ({ hasCorsOrigins, vary }) => {
    const { lines } = createHotAnswers(hasCorsOrigins)(request(Buffer.from("{}"), { encoding: "br" }));
    expect(headersOf(lines)).toMatchObject({ vary, "content-encoding": "br" });
  });
});
