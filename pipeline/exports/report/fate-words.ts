import type { DaoChange } from "./report-data.ts";

/** What became of a DAO, as the end of a sentence that its name begins. */
export const FATE_WORDS: Readonly<Record<DaoChange["fate"], string>> = {
  appeared: "is new",
  vanished: "is no longer tracked",
  scored: "has a score now",
  unscored: "has no score any more",
  moved: "moved",
};
