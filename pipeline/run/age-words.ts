/** Below the last digit that is told, an age is 0. */
const TOLD_HOURS = 0.05;

/** How long ago something was made; a clock that went back, or was ahead then, is said and not an age below 0. */
export function ageWords(hours: number, unit: "h" | "hours"): string {
  const isAhead = hours <= -TOLD_HOURS;
  return isAhead
    ? `${(-hours).toFixed(1)} ${unit} ahead of this clock`
    : `${Math.max(0, hours).toFixed(1)} ${unit} ago`;
}
