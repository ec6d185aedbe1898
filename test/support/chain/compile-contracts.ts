import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { lastingFolder } from "../run-folder.ts";

const CONTRACTS = fileURLToPath(new URL("contracts", import.meta.url));
const PACKAGES = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const WANTED = { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] };
const require = createRequire(import.meta.url);

const Hex = z.templateLiteral(["0x", z.string()]);
const Bytecode = z.object({ object: z.string() }).transform(({ object }) => Hex.parse(`0x${object}`));
const Compiled = z.object({
  abi: z.array(z.unknown()),
  evm: z.object({ bytecode: Bytecode, deployedBytecode: Bytecode }),
});
const Output = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).optional(),
  contracts: z.record(z.string(), z.record(z.string(), Compiled)).optional(),
});

/** A compiled contract: what is needed to deploy and call it. */
export interface CompiledContract {
  readonly abi: readonly unknown[];
  readonly bytecode: `0x${string}`;
  /** The code on the chain. */
  readonly code: `0x${string}`;
}

/**
 * Compiles every contract of `contracts/`; returns them by name. The result is cached for all workers and later runs,
 * under a hash of sources and versions.
 */
export function compileContracts(): ReadonlyMap<string, CompiledContract> {
  const names = readdirSync(CONTRACTS).sort();
  const sources = Object.fromEntries(
    names.map((name) => [name, { content: readFileSync(join(CONTRACTS, name), "utf8") }]),
  );
  const input = JSON.stringify({
    language: "Solidity",
    sources,
    settings: {
      evmVersion: "cancun",
      outputSelection: Object.fromEntries(names.map((name) => [name, WANTED])),
      optimizer: { enabled: true, runs: 1 },
    },
  });
  const versions = [
    require.resolve("solc/package.json"),
    require.resolve("@openzeppelin/contracts/package.json"),
  ].map((file) => readFileSync(file, "utf8"));
  const digest = createHash("sha256")
    .update([input, ...versions].join("\0"))
    .digest("hex")
    .slice(0, 24);
  const kept = join(lastingFolder(), `govdata-contracts-${digest}.json`);
  if (!existsSync(kept)) {
    const scratch = `${kept}.${process.pid}`;
    writeFileSync(scratch, compile(input));
    renameSync(scratch, kept);
  }
  const output = Output.parse(JSON.parse(readFileSync(kept, "utf8")));
  return new Map(
    names.flatMap((name) =>
      Object.entries(output.contracts?.[name] ?? {}).map(([contract, { abi, evm }]) => [
        contract,
        { abi, bytecode: evm.bytecode, code: evm.deployedBytecode },
      ]),
    ),
  );
}

function compile(input: string): string {
  // Loaded only if something has changed, because the compiler takes a second to start.
  const solc: {
    compile(text: string, callbacks: { import: (path: string) => { contents: string } }): string;
  } = require("solc");
  const text = solc.compile(input, {
    import: (path) => ({ contents: readFileSync(join(PACKAGES, path), "utf8") }),
  });
  const errors = Output.parse(JSON.parse(text)).errors?.filter(({ severity }) => severity === "error") ?? [];
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
  return text;
}
