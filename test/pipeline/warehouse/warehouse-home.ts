import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Warehouse } from "../../../pipeline/warehouse/warehouse.ts";
import { openWarehouse } from "../../../pipeline/warehouse/warehouse.ts";

/** A temporary folder for one warehouse, which can be closed and opened again. */
export interface WarehouseHome {
  readonly directory: string;
  readonly path: string;
  open(): Warehouse;
  /** Closes what is open and removes the folder. */
  remove(): void;
}

export function createWarehouseHome(): WarehouseHome {
  const directory = mkdtempSync(join(tmpdir(), "warehouse-"));
  const path = join(directory, "warehouse.db");
  const opened: Warehouse[] = [];
  return {
    directory,
    path,
    open() {
      const warehouse = openWarehouse(path);
      opened.push(warehouse);
      return warehouse;
    },
    remove() {
      for (const warehouse of opened) warehouse.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
