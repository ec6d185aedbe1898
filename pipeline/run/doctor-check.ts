import { diskTroubleHint } from "../base/disk-trouble.ts";
import { PipelineError } from "../base/pipeline-error.ts";

/** What was looked at; one line each, in this order. */
export const DOCTOR_AREAS = [
  "node",
  "home",
  "rights",
  "disk",
  "registry",
  "warehouse",
  "opt-outs",
  "version",
  "age",
  "last run",
  "signing",
  "clock",
  "leftovers",
] as const;
export type DoctorArea = (typeof DOCTOR_AREAS)[number];

/** One line of `doctor`: how it stands with an area, and what to do where it does not stand well. */
export interface DoctorCheck {
  readonly area: DoctorArea;
  readonly verdict: "ok" | "warn" | "fail";
  readonly message: string;
  /** What to do; absent where there is nothing to do. */
  readonly next?: string;
}

/** All is well. */
export function fine(area: DoctorArea, message: string): DoctorCheck {
  return { area, verdict: "ok", message };
}

/** Somebody should look at it, but a run would go on. */
export function warn(area: DoctorArea, message: string, next: string): DoctorCheck {
  return { area, verdict: "warn", message, next };
}

/** The next run would fail, or something is open that must be closed. */
export function fail(area: DoctorArea, message: string, next: string): DoctorCheck {
  return { area, verdict: "fail", message, next };
}

const LOOK = "Run the command again with -v to see where it comes from.";

/** Makes a check; an expected failure in it is its answer, and anything else is told as far as it names no path. */
export async function checked(
  area: DoctorArea,
  look: () => DoctorCheck | Promise<DoctorCheck>,
): Promise<DoctorCheck> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof PipelineError) return fail(area, error.message, error.hint ?? LOOK);
    // What the system says would name paths of the machine: its code is enough.
    if (error instanceof Error && "code" in error) {
      const code = String(error.code);
      return fail(area, `cannot be looked at (${code})`, diskTroubleHint(code) ?? LOOK);
    }
    throw error;
  }
}
