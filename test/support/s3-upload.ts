import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { crc32 } from "node:zlib";

/** An upload as a storage would keep it, or why it would refuse it. */
export type Upload =
  | { readonly kind: "good"; readonly headers: IncomingHttpHeaders; readonly bytes: Buffer }
  | { readonly kind: "refused"; readonly status: number; readonly code: string };

const LINE_END = Buffer.from("\r\n");

/** Takes the frames of `aws-chunked` off: each has its length in front, checksums may follow the last. */
function unframe(framed: Buffer): { readonly bytes: Buffer; readonly trailers: ReadonlyMap<string, string> } {
  const pieces: Buffer[] = [];
  let at = 0;
  const line = (): string => {
    const end = framed.indexOf(LINE_END, at);
    if (end === -1) throw new Error("a framed upload that ends within a line");
    const text = framed.toString("latin1", at, end);
    at = end + LINE_END.length;
    return text;
  };
  for (;;) {
    const length = Number.parseInt(line(), 16);
    if (!(length > 0)) break;
    pieces.push(framed.subarray(at, at + length));
    at += length + LINE_END.length;
  }
  const trailers = new Map<string, string>();
  while (at < framed.length) {
    const [name = "", ...value] = line().split(":");
    if (name !== "") trailers.set(name.toLowerCase(), value.join(":").trim());
  }
  return { bytes: Buffer.concat(pieces), trailers };
}

function digestsOf(bytes: Buffer): Readonly<Record<string, () => string>> {
  const hash = (name: string, form: "hex" | "base64") => createHash(name).update(bytes).digest(form);
  return {
    "content-md5": () => hash("md5", "base64"),
    "x-amz-checksum-crc32": () => {
      const sum = Buffer.alloc(4);
      sum.writeUInt32BE(crc32(bytes));
      return sum.toString("base64");
    },
    "x-amz-checksum-sha1": () => hash("sha1", "base64"),
    "x-amz-checksum-sha256": () => hash("sha256", "base64"),
  };
}

/**
 * What a client sent, without its frames, its checksums compared. The server behind takes frames for content and
 * looks at no checksum; S3 does neither.
 */
export function readUpload(headers: IncomingHttpHeaders, body: Buffer): Upload {
  const encodings = (headers["content-encoding"] ?? "").split(/\s*,\s*/).filter((name) => name !== "");
  const isFramed = encodings.includes("aws-chunked");
  const { bytes, trailers } = isFramed ? unframe(body) : { bytes: body, trailers: new Map<string, string>() };
  const claimed = (name: string): string | undefined => {
    const value = trailers.get(name) ?? headers[name];
    return typeof value === "string" ? value : undefined;
  };
  for (const [name, digest] of Object.entries(digestsOf(bytes))) {
    const value = claimed(name);
    if (value !== undefined && value !== digest()) return { kind: "refused", status: 400, code: "BadDigest" };
  }
  const signed = claimed("x-amz-content-sha256") ?? "";
  if (/^[0-9a-f]{64}$/.test(signed) && createHash("sha256").update(bytes).digest("hex") !== signed) {
    return { kind: "refused", status: 400, code: "XAmzContentSHA256Mismatch" };
  }
  const { "content-encoding": _, "x-amz-trailer": __, ...rest } = headers;
  const others = encodings.filter((name) => name !== "aws-chunked").join(",");
  const kept = others === "" ? rest : { ...rest, "content-encoding": others };
  return { kind: "good", headers: kept, bytes };
}
