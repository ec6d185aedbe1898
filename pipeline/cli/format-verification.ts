import type { verifyPublished } from "../run/verify.ts";

type Verification = Awaited<ReturnType<typeof verifyPublished>>;

/** Nobody reads more on a terminal; `--json` has them all. */
const SHOWN_MAX = 100;

/** Most messages name their file themselves. */
function formatProblem({ path, code, message }: Verification["problems"][number]): string {
  return message.includes(path) ? `${code} ${message}\n` : `${code} ${path}: ${message}\n`;
}

/** What `govdata verify` says of a version: the first hundred problems, how many more there are, and the verdict. */
export function formatVerification({ problems, files, bytes }: Verification, name: string): string {
  if (problems.length === 0) return `${name} is whole: ${files} files, ${bytes} bytes\n`;
  const shown = problems.slice(0, SHOWN_MAX).map(formatProblem).join("");
  const more = problems.length - SHOWN_MAX;
  const rest = more > 0 ? `and ${more} more; --json lists all\n` : "";
  const count = `${problems.length} ${problems.length === 1 ? "problem" : "problems"}`;
  return `${shown}${rest}${name} is not whole: ${count}\n`;
}
