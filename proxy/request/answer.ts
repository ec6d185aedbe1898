import { compress, representationOf } from "../../snapshots/store/read/snapshot-reader.ts";
import type { ContentEncoding } from "./negotiate.ts";
import type { Problem } from "./problems.ts";

/** The bytes of a body in one encoding, and the strong ETag of exactly these bytes. */
export interface EncodedBody {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** An answer that has a body. */
export interface BodyAnswer {
  readonly kind: "body";
  /** Gives the body in the encoding that the caller prefers; always the same object for the same bytes. */
  readonly encode: (encoding: ContentEncoding) => EncodedBody;
  /** False for entities: nobody stores them, and they carry no ETag. */
  readonly mayBeKept: boolean;
  readonly snapshotVersion: string;
}

/** What an endpoint decided: a body to send, or the problem it met. */
export type Answer = BodyAnswer | { readonly kind: "problem"; readonly problem: Problem };

/** An answer that is a problem. */
export function problem(name: Problem): Answer {
  return { kind: "problem", problem: name };
}

/** Bytes that are the same for everybody while the program runs, compressed when somebody first wants them so. */
export interface StaticBody {
  readonly type: string;
  readonly encode: (encoding: ContentEncoding) => EncodedBody;
}

/** Makes a static body of bytes. */
export function staticBody(type: string, bytes: Buffer): StaticBody {
  const made = new Map<ContentEncoding, EncodedBody>();
  return {
    type,
    encode: (encoding) => {
      const known = made.get(encoding);
      if (known !== undefined) return known;
      const body = representationOf(encoding === "identity" ? bytes : compress(bytes, encoding));
      made.set(encoding, body);
      return body;
    },
  };
}
