import type { Script } from '../../testing/scripted-model';
import { batch } from './batch';
import { fanOut } from './fan-out';
import { handoff } from './handoff';
import { largeRun } from './large-run';
import { noise } from './noise';
import { workspaceImport } from './workspace-import';

const scripts: Readonly<Record<string, Script>> = {
  batch,
  'fan-out': fanOut,
  handoff,
  'large-run': largeRun,
  noise,
  'workspace-import': workspaceImport,
};

/** Returns the script of a benchmark by its name. */
export function findScript(name: string): Script {
  const script = scripts[name];
  if (script === undefined) throw new Error(`There is no script "${name}"`);
  return script;
}
