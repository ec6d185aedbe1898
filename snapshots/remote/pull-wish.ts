import type { TrustedKey } from "../store/manifest-signature.ts";
import type { SnapshotDisk } from "../store/snapshot-disk.ts";
import type { RemoteReader } from "./remote-store.ts";

/** How far a version on its way is. */
export interface TransferProgress {
  readonly filesDone: number;
  readonly filesTotal: number;
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

/** What to pull, from where, to where, and whom to believe. */
export interface PullWish {
  readonly reader: RemoteReader;
  /** Of the local root; its publish lock is taken for the time of the pull. */
  readonly disk: SnapshotDisk;
  /** Of the remote pointer at the last pull: one request without a body where it is still the same. */
  readonly knownEtag?: string | undefined;
  /** The lowest sequence that is no rollback, beside that of the local pointer. */
  readonly sequenceMin?: number | undefined;
  /** Takes a lower sequence than the local pointer's; never one below `sequenceMin`. */
  readonly allowsRollback?: boolean | undefined;
  /** A version that none of these keys has signed is refused with `SNAPSHOT_UNSIGNED`; absent, nobody is asked. */
  readonly trustedKeys?: readonly TrustedKey[] | undefined;
  /** Which files to take, by their path in the version; all of them where absent. Manifest and signature always come. */
  readonly wanted?: ((path: string) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TransferProgress) => void) | undefined;
}

/** What a pull came to. */
export type PullResult =
  | {
      readonly kind: "unchanged";
      /** Of the remote pointer, for the next call. */
      readonly etag: string | undefined;
    }
  | {
      readonly kind: "pulled";
      readonly version: string;
      readonly sequence: number;
      readonly etag: string | undefined;
      /** Bytes that came over the network, and files: those that lay here already are not among them. */
      readonly bytes: number;
      readonly files: number;
      /** Files linked from the version before, and those kept from a pull that was cut. */
      readonly linked: number;
      readonly kept: number;
    };
