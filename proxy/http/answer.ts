import type { ContentEncoding } from "./negotiate-encoding.ts";
import type { Situation } from "./situations.ts";

/** The bytes of a body in one encoding, and the strong ETag of exactly these bytes. */
export interface EncodedBody {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** What an endpoint decided: a body to send, or the situation it ran into. */
export type Answer =
  | {
      readonly kind: "body";
      /** Called once, with the encoding the caller prefers. */
      readonly encode: (encoding: ContentEncoding) => EncodedBody;
      /** False for entities: nobody stores them, and they carry no ETag. */
      readonly mayBeKept: boolean;
      readonly snapshotVersion: string;
    }
  | { readonly kind: "problem"; readonly situation: Situation };

/** An answer that is a problem. */
export function problem(situation: Situation): Answer {
  return { kind: "problem", situation };
}
