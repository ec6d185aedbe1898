import type { TransferProgress } from "../../snapshots/remote/pull-wish.ts";
import type { Progress } from "./effects.ts";

/** Tells how a version gets on over a network: now and then to whoever is looking, and once at its end. */
export function tellTransfer(
  progress: Progress,
  stage: "push" | "pull",
  place: string,
): { readonly onProgress: (now: TransferProgress) => void; readonly end: () => void } {
  let last: TransferProgress | undefined;
  return {
    onProgress(now) {
      last = now;
      const { filesDone, filesTotal, bytesDone: bytes } = now;
      progress.tick(stage, `${filesDone}/${filesTotal} files`, { bytes });
    },
    end() {
      if (last === undefined) return;
      const { filesTotal: files, bytesTotal: bytes } = last;
      progress.step(stage, 1, 1, place, { files, bytes });
    },
  };
}
