import { existsSync } from "node:fs";
import { homeWarehouseFiles, type RegistryInForce, readRegistry, registryInForce } from "../home/home.ts";
import { LOST_LIST_HINT, optOutsPathOf, readLiveOptOuts } from "../home/opt-outs.ts";
import type { Settings } from "../home/settings.ts";
import { outcomeWords, readLastOutcome, readState } from "../home/state.ts";
import { inspectWarehouse, type WarehouseInspection } from "../warehouse/migrate.ts";
import { type DoctorCheck, fail, fine, warn } from "./doctor-check.ts";

/** The registry in force as a person is told of it, without a path of this machine. */
export function registryWords({ file, origin }: RegistryInForce): string {
  if (origin === "named") return `${file}, named by --registry`;
  return origin === "home" ? `${file} of the home` : `${file} that comes with the program`;
}

/**
 * That the registry in force can be read and tracks some of the published DAOs, where these are known; throws
 * `PipelineError` REGISTRY_INVALID with every problem.
 */
export function checkRegistry(
  settings: Settings,
  publishedIds: readonly string[] | undefined = undefined,
): DoctorCheck {
  const { daos, entities } = readRegistry(settings);
  const words = registryWords(registryInForce(settings));
  if (daos.length === 0) {
    return warn("registry", `tracks no DAO: ${words}`, "Write some into the registry, then run.");
  }
  const tracked = new Set(daos.map(({ spaceId }) => spaceId));
  if (publishedIds?.some((spaceId) => tracked.has(spaceId)) === false && publishedIds.length > 0) {
    const message = `${words}: none of its ${daos.length} DAOs is among the ${publishedIds.length} published`;
    const next =
      "Name the one that was published from: --registry (GOVDATA_REGISTRY), or copy it over the registry.yaml of the home.";
    return warn("registry", message, next);
  }
  return fine("registry", `${words}: ${daos.length} DAOs and ${entities.length} entities`);
}

/** The warehouse as it lies there; `undefined` where there is none. Throws `PipelineError` for a damaged or busy one. */
export function lookIntoWarehouse(settings: Settings): WarehouseInspection | undefined {
  const files = homeWarehouseFiles(settings);
  return existsSync(files.path) ? inspectWarehouse(files) : undefined;
}

/** Damage, version, and what the last fetches came to. */
export function judgeWarehouse(found: WarehouseInspection | undefined): DoctorCheck {
  if (found === undefined) return warn("warehouse", "nothing was fetched yet", "`govdata fetch` fills it.");
  const { version, knownVersion, records } = found;
  if (version > knownVersion) {
    const next = "Use the newer program that wrote it, or another --home.";
    return fail("warehouse", `is of version ${version}; this program knows ${knownVersion}`, next);
  }
  if (version < knownVersion) {
    const next = "Copy it first if you want to go back; the next command that opens it brings it up to date.";
    return warn("warehouse", `is of version ${version} of ${knownVersion}`, next);
  }
  const failed = records.filter(({ status }) => status === "failed").length;
  if (failed > 0) {
    const next = "`govdata status` says which and why; the next run tries again.";
    return warn("warehouse", `whole; ${failed} of ${records.length} newest fetches failed`, next);
  }
  return fine("warehouse", `whole, version ${version}, ${records.length} fetches complete`);
}

/** That the list of live opt-outs can be asked, and has not grown shorter behind our back. */
export function checkOptOuts(settings: Settings): DoctorCheck {
  const { list, problem } = readLiveOptOuts(settings);
  if (problem !== undefined)
    return fail("opt-outs", `no entity may be named: ${problem.message}`, LOST_LIST_HINT);
  if (!existsSync(optOutsPathOf(settings))) {
    return warn(
      "opt-outs",
      "there is no list yet",
      "`govdata init` makes an empty one; a first publish does too.",
    );
  }
  const before = readState(settings).live_opt_outs;
  if (before !== null && list.count < before) {
    const next = "If nobody was taken off with `govdata-proxy optout remove`, put the newer file back.";
    return warn("opt-outs", `${list.count} on the list; at the last publish there were ${before}`, next);
  }
  return fine("opt-outs", `the list can be read: ${list.count} on it`);
}

/** How the last run of the home ended: what is published may be whole and young, and the next run fail all the same. */
export function judgeLastRun(settings: Settings): DoctorCheck {
  const outcome = readLastOutcome(settings);
  if (outcome === undefined) return fine("last run", "none has ended in this home");
  const said = outcomeWords(outcome);
  if (outcome.error === null) return fine("last run", said);
  const next =
    outcome.gates.length > 0
      ? "`govdata publish` tells what was compared, and the name that lets it pass once you have looked."
      : "Look at its output; running again is always safe.";
  return warn("last run", said, next);
}
