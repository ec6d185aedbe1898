import { PipelineError } from "../base/pipeline-error.ts";
import type { VersionFinding } from "./check-version.ts";

/** So many of one gate are told; the rest are counted, so that a report of hundreds can still be read. */
const TOLD_MAX = 10;

/** One refusal in a line: what, then what was compared, then the name that lets it pass. */
function refusalLine({ code, message, compared, override }: VersionFinding): string {
  const was = compared?.was === undefined ? [] : [`was ${compared.was}`];
  const about = [
    ...(compared === undefined ? [] : [...was, `is ${compared.is}`, `allowed: ${compared.limit}`]),
    ...(override === undefined ? ["cannot be allowed"] : []),
  ];
  return `\n  ${code}: ${message}${about.length === 0 ? "" : ` (${about.join("; ")})`}`;
}

function refusalLines(refusals: readonly VersionFinding[]): string {
  const codes = [...new Set(refusals.map(({ code }) => code))];
  return codes
    .flatMap((code) => {
      const own = refusals.filter((finding) => finding.code === code);
      const others = own.length > TOLD_MAX ? [`\n  ${code}: ${own.length - TOLD_MAX} more`] : [];
      return [...own.slice(0, TOLD_MAX).map(refusalLine), ...others];
    })
    .join("");
}

/** Throws `PipelineError` GATE_REFUSED with a report when a finding refuses; nothing was written then. */
export function assertPassed(findings: readonly VersionFinding[]): void {
  const refusals = findings.filter((finding) => finding.severity === "refuse");
  if (refusals.length === 0) return;
  const overrides = [...new Set(refusals.flatMap((finding) => finding.override ?? []))];
  const isHopeless = refusals.some((finding) => finding.override === undefined);
  const hint = isHopeless
    ? "Nothing was published. What cannot be allowed is a fault of ours: please report it."
    : `Nothing was published. If this is right: ${overrides.map((name) => `--allow ${name}`).join(" ")}`;
  throw new PipelineError("GATE_REFUSED", `a gate refused this version:${refusalLines(refusals)}`, { hint });
}
