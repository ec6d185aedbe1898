import type { Finding } from "../../snapshots/format/run-report.ts";
import { METHODOLOGY } from "../score/methodology.ts";

/** What a reader should know of a DAO whose past was scored anew although it had been published before. */
export function historyFinding(spaceId: string, days: number): Finding {
  return {
    code: "HISTORY_RECOMPUTED",
    space_id: spaceId,
    message: `the method or a constant of it changed: ${days} days were scored anew with ${METHODOLOGY.version}`,
  };
}
