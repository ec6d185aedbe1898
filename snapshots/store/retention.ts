import { VersionName } from "../format/ids.ts";

/** So many of the newest versions stay, whatever their age. */
export const KEPT_VERSIONS_MIN = 3;

/** A version younger than this stays: a reader may have opened it a moment before the pointer moved. */
export const KEPT_YOUNGER_THAN_MS = 15 * 60_000;

/** An older version goes. 400 days are a year of daily versions and a month to compare it with. */
export const KEPT_AGE_MAX_MS = 400 * 86_400_000;

/** The names among those under a snapshot root that are versions, oldest first by the time in their names. */
export function versionNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => VersionName.safeParse(name).success).toSorted();
}

/** When the run behind a version was, in whole seconds, from its name. */
export function versionAtMs(version: string): number {
  const iso = version.replace(
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-.*$/,
    (_, year, month, day, hour, minute, second) => `${year}-${month}-${day}T${hour}:${minute}:${second}Z`,
  );
  return Date.parse(iso);
}

/** The versions to delete at `nowMs`: past their age, not among the newest, and never the current one. */
export function expiredVersions(
  names: readonly string[],
  current: string,
  nowMs: number,
  keptAgeMs: number = KEPT_AGE_MAX_MS,
): readonly string[] {
  return versionNames(names)
    .slice(0, -KEPT_VERSIONS_MIN)
    .filter((version) => {
      const ageMs = nowMs - versionAtMs(version);
      return version !== current && ageMs >= KEPT_YOUNGER_THAN_MS && ageMs > keptAgeMs;
    });
}
