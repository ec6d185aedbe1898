import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { faultOfError, httpFault } from "../../../../pipeline/sources/http/http-fault.ts";
import { httpSettings } from "../../../../pipeline/sources/http/http-settings.ts";
import { Failure } from "../../../../snapshots/base/failure.ts";

const coded = (code: string) => Object.assign(new Error("the key is s3cret"), { code });

describe("faultOfError", () => {
  it.each([
    { why: "a refused connection", error: coded("ECONNREFUSED"), kind: "passing", says: "refused" },
    { why: "an unknown host name", error: coded("ENOTFOUND"), kind: "passing", says: "unknown host name" },
    { why: "a slow connection", error: coded("UND_ERR_CONNECT_TIMEOUT"), kind: "passing", says: "connect" },
    {
      why: "a network fault not named here",
      error: coded("ENETRESET"),
      kind: "passing",
      says: "with ENETRESET",
    },
    {
      why: "a handshake that failed",
      error: coded("ERR_SSL_WRONG_VERSION_NUMBER"),
      kind: "passing",
      says: "ERR_SSL_",
    },
    {
      why: "several addresses, none of which answers",
      error: new AggregateError([coded("EHOSTUNREACH")]),
      kind: "passing",
      says: "failed with EHOSTUNREACH",
    },
    {
      why: "a certificate of its own making",
      error: coded("DEPTH_ZERO_SELF_SIGNED_CERT"),
      kind: "final",
      says: "not trusted",
    },
    { why: "an old certificate", error: coded("CERT_HAS_EXPIRED"), kind: "final", says: "expired" },
    {
      why: "another host's certificate",
      error: coded("ERR_TLS_CERT_ALTNAME_INVALID"),
      kind: "final",
      says: "another host",
    },
    { why: "endless headers", error: coded("UND_ERR_HEADERS_OVERFLOW"), kind: "final", says: "too long" },
    { why: "cut packing", error: coded("Z_BUF_ERROR"), kind: "passing", says: "truncated" },
    { why: "broken packing", error: coded("Z_DATA_ERROR"), kind: "garbled", says: "decoded" },
    { why: "broken brotli", error: coded("ERR__ERROR_FORMAT_PADDING_1"), kind: "garbled", says: "decoded" },
  ])("tells $why without quoting it", ({ error, kind, says }) => {
    const fault = faultOfError(error);
    expect(fault).toBeInstanceOf(Failure);
    expect(fault).toMatchObject({ data: { kind }, message: expect.stringContaining(says) });
    expect(inspect(fault, { showHidden: true })).not.toContain("s3cret");
  });

  it.each([
    { why: "a fault", error: httpFault("final", "answered 400") },
    { why: "a defect of ours", error: new TypeError("x is not a function") },
    { why: "an error with a code of another kind", error: coded("s3cret") },
    { why: "several errors of no kind", error: new AggregateError([]) },
    { why: "what is no error", error: "text" },
  ])("gives $why back as it is", ({ error }) => {
    expect(faultOfError(error)).toBe(error);
  });
});

describe("httpSettings", () => {
  it("fills in what is not given", () => {
    expect(httpSettings({ attemptsMax: 2, requestsPerMinute: undefined })).toMatchObject({
      attemptsMax: 2,
      requestsPerMinute: 60,
      serverErrorAttemptsMax: 3,
    });
    expect(httpSettings({})).toMatchObject({ attemptsMax: 12 });
  });
});
