import type { z } from "zod";
import type { GovernorToken } from "../facts/delegation.ts";
import type { Registry } from "../facts/tracked.ts";
import { findRepeats } from "./find-repeats.ts";
import { readYaml, type YamlPath, type YamlText } from "./read-yaml.ts";
import { reasonOfIssue } from "./reason-of-issue.ts";
import { RegistryFile } from "./registry-file.ts";
import { type RegistryProblem, registryInvalid } from "./registry-problem.ts";

/**
 * Reads a registry: DAOs by space_id, entities by entity_id, wallets in lower case. Throws `PipelineError`
 * REGISTRY_INVALID with every problem it has, each with `fileName`, line and reason.
 */
export function parseRegistry(text: string, fileName: string): Registry {
  const yaml = readYaml(text);
  if (yaml.problems.length > 0) throw registryInvalid(fileName, yaml.problems);
  const parsed = RegistryFile.safeParse(yaml.value);
  const problems = findRepeats(yaml.value).map(({ path, message }) => ({ line: yaml.lineOf(path), message }));
  if (parsed.success && problems.length === 0) return registryOf(parsed.data);
  const issues = parsed.error?.issues ?? [];
  throw registryInvalid(fileName, [...issues.flatMap((issue) => problemsOf(issue, yaml)), ...problems]);
}

/** An unknown key is told by its name, at its own line; anything else by the path to it. */
function problemsOf(issue: z.core.$ZodIssue, yaml: YamlText): RegistryProblem[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => {
      const path = [...issue.path, key];
      return { line: yaml.lineOf(path), message: `${nameOf(path)}: there is no such key` };
    });
  }
  return [{ line: yaml.lineOf(issue.path), message: `${nameOf(issue.path)}: ${reasonOfIssue(issue)}` }];
}

/** `daos[3].category` */
function nameOf(path: YamlPath): string {
  const name = path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
  return name === "" ? "the registry" : name;
}

function registryOf({ daos, entities }: RegistryFile): Registry {
  return {
    daos: daos
      .map(({ space_id, name, category, governor }) => ({
        spaceId: space_id,
        name,
        category,
        governor: governor === undefined ? undefined : governorOf(governor),
      }))
      .sort((a, b) => (a.spaceId < b.spaceId ? -1 : 1)),
    entities: entities
      .map(({ entity_id, label, wallets, publicApiOptOut }) => ({
        entityId: entity_id,
        label,
        wallets,
        isOptedOut: publicApiOptOut,
      }))
      .sort((a, b) => (a.entityId < b.entityId ? -1 : 1)),
  };
}

function governorOf(governor: NonNullable<RegistryFile["daos"][number]["governor"]>): GovernorToken {
  return {
    chainId: governor.chain_id,
    token: governor.token,
    kind: governor.kind,
    decimals: governor.decimals,
    clock: governor.clock,
    isSelfByDefault: governor.default_delegate === "self",
    firstBlock: governor.first_block,
    governor: governor.governor,
  };
}
