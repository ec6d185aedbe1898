type Version = readonly [major: number, minor: number, patch: number];

function versionOf(text: string): Version | undefined {
  const [, major, minor = "0", patch = "0"] = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(text) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

/** `>=20.19` or `<21`; `undefined` for what we do not write. */
function holds(version: Version, bound: string): boolean | undefined {
  const [, sign, text = ""] = /^(>=|<)([\d.]+)$/.exec(bound) ?? [];
  const limit = versionOf(text);
  if (sign === undefined || limit === undefined) return undefined;
  return sign === "<" ? compare(version, limit) < 0 : compare(version, limit) >= 0;
}

/** Whether a version of Node lies in a range such as `>=20.19 <21 || >=22.12`; `undefined` where the range cannot be read. */
export function isInNodeRange(version: string, range: string): boolean | undefined {
  const given = versionOf(version);
  if (given === undefined || range.trim() === "") return undefined;
  const spans = range.split("||").map((span) =>
    span
      .trim()
      .split(/\s+/)
      .map((bound) => holds(given, bound)),
  );
  if (spans.flat().includes(undefined)) return undefined;
  return spans.some((span) => span.every((each) => each === true));
}
