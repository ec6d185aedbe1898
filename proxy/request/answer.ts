import type { ContentEncoding } from "./negotiate.ts";
import type { Problem } from "./problems.ts";

/** The bytes of a body in one encoding, and the strong ETag of exactly these bytes. */
export interface EncodedBody {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** What an endpoint decided: a body to send, or the problem it ran into. */
export type Answer =
  | {
      readonly kind: "body";
      /** Called once, with the encoding the caller prefers. */
      readonly encode: (encoding: ContentEncoding) => EncodedBody;
      /** False for entities: nobody stores them, and they carry no ETag. */
      readonly mayBeKept: boolean;
      readonly snapshotVersion: string;
    }
  | { readonly kind: "problem"; readonly problem: Problem };

/** An answer that is a problem. */
export function problem(name: Problem): Answer {
  return { kind: "problem", problem: name };
}
