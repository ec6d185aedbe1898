import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { faultOfError, httpFault } from "../../../../pipeline/sources/http/http-fault.ts";
import { httpSettings } from "../../../../pipeline/sources/http/http-settings.ts";
import { Failure } from "../../../../snapshots/base/failure.ts";

const coded = (code: string) => Object.assign(new Error("the key is s3cret"), { code });

describe("faultOfError", () => {
  it.each<[why: string, error: Error, kind: string, says: string]>([
    ["a refused connection", coded("ECONNREFUSED"), "passing", "refused"],
    ["an unknown host name", coded("ENOTFOUND"), "passing", "unknown host name"],
    ["a slow connection", coded("UND_ERR_CONNECT_TIMEOUT"), "passing", "connect"],
    ["a network fault not named here", coded("ENETRESET"), "passing", "with ENETRESET"],
    ["a handshake that failed", coded("ERR_SSL_WRONG_VERSION_NUMBER"), "passing", "ERR_SSL_"],
    [
      "addresses none of which answers",
      new AggregateError([coded("EHOSTUNREACH")]),
      "passing",
      "EHOSTUNREACH",
    ],
    ["a certificate of its own making", coded("DEPTH_ZERO_SELF_SIGNED_CERT"), "final", "not trusted"],
    ["an old certificate", coded("CERT_HAS_EXPIRED"), "final", "expired"],
    ["another host's certificate", coded("ERR_TLS_CERT_ALTNAME_INVALID"), "final", "another host"],
    ["endless headers", coded("UND_ERR_HEADERS_OVERFLOW"), "final", "too long"],
    ["cut packing", coded("Z_BUF_ERROR"), "passing", "truncated"],
    ["broken packing", coded("Z_DATA_ERROR"), "garbled", "decoded"],
    ["broken brotli", coded("ERR__ERROR_FORMAT_PADDING_1"), "garbled", "decoded"],
  ])("tells %s without quoting it", (_why, error, kind, says) => {
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

it("fills in the settings that are not given", () => {
  const given = { attemptsMax: 2, requestsPerMinute: undefined };
  expect(httpSettings(given)).toMatchObject({ attemptsMax: 2, requestsPerMinute: 60 });
});
