import type { CheckedDocuments } from "../../snapshots/format/agreement/check-shapes.ts";
import { pipelineFailure } from "../facts/errors.ts";
import type { GateResult } from "./check-gates.ts";
import type { GateCode, GateFinding } from "./gate-rules.ts";

/**
 * Returns the documents that passed the gates; throws `GATE_REFUSED` with a report if a gate
 * refused.
 */
export function requirePassed({ findings, checked }: GateResult): CheckedDocuments {
  if (checked !== undefined) return checked;
  const refusals = findings.filter((finding) => finding.severity === "refuse");
  const overrides = [...new Set(refusals.flatMap((finding) => finding.override ?? []))];
  const isHopeless = refusals.some((finding) => finding.override === undefined);
  const hint = isHopeless
    ? "Nothing was published. Findings that cannot be allowed are bugs: please report them."
    : `Nothing was published. If this is right: ${overrides.map((name) => `--allow ${name}`).join(" ")}`;
  const gates = [...new Set(refusals.map(({ code }) => code))];
  const message = `a gate refused this version:${refusalLines(refusals, gates)}`;
  throw pipelineFailure("GATE_REFUSED", message, { hint, data: { gates } });
}

/** Refusals listed per gate; the others are counted, to keep a report readable. */
const LISTED_MAX = 10;

/** Formats a refusal: the message, the compared values, and whether it can be allowed. */
function refusalLine({ code, message, compared, override }: GateFinding): string {
  const was = compared?.was === undefined ? [] : [`was ${compared.was}`];
  const about = [
    ...(compared === undefined ? [] : [...was, `is ${compared.is}`, `allowed: ${compared.limit}`]),
    ...(override === undefined ? ["cannot be allowed"] : []),
  ];
  return `\n  ${code}: ${message}${about.length === 0 ? "" : ` (${about.join("; ")})`}`;
}

function refusalLines(refusals: readonly GateFinding[], gates: readonly GateCode[]): string {
  return gates
    .flatMap((code) => {
      const codeRefusals = refusals.filter((finding) => finding.code === code);
      const others =
        codeRefusals.length > LISTED_MAX ? [`\n  ${code}: ${codeRefusals.length - LISTED_MAX} more`] : [];
      return [...codeRefusals.slice(0, LISTED_MAX).map(refusalLine), ...others];
    })
    .join("");
}
