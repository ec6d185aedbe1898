import type { FastifyReply, FastifyRequest } from "fastify";
import { compress, representationOf } from "../../snapshots/store/read/snapshot-reader.ts";
import type { EncodedBody } from "./answer.ts";
import { type ContentEncoding, matchesEtag, negotiateEncoding } from "./negotiate.ts";
import { sendBytes } from "./send-bytes.ts";

/** Bytes that never change while the program runs, packed when somebody first wants them so. */
export interface StaticBody {
  readonly type: string;
  readonly encode: (encoding: ContentEncoding) => EncodedBody;
}

/** Bytes as a body that is the same for everybody. */
export function staticBody(type: string, bytes: Buffer): StaticBody {
  const packed = new Map<ContentEncoding, EncodedBody>();
  return {
    type,
    encode: (encoding) => {
      const known = packed.get(encoding);
      if (known !== undefined) return known;
      const body = representationOf(encoding === "identity" ? bytes : compress(bytes, encoding));
      packed.set(encoding, body);
      return body;
    },
  };
}

/** Sends a static body, or 304 to whoever has it. It depends on no key, and says so. */
export function sendStatic(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, encode }: StaticBody,
  headers: Readonly<Record<string, string>>,
): FastifyReply {
  const encoding = negotiateEncoding(request.headers["accept-encoding"]);
  const { bytes, etag } = encode(encoding);
  reply.headers({ "content-type": type, ...headers, etag });
  if (matchesEtag(request.headers["if-none-match"], etag)) return reply.code(304).send();
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return sendBytes(request, reply, bytes);
}
