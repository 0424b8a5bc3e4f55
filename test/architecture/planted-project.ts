import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRoot } from '../support/paths';

/** A temporary project with the settings of this one, in which tests break rules on purpose. */
export interface PlantedProject {
  /** Runs a program of a package in the project and returns what it prints as JSON, whatever its exit code. */
  run(program: string, ...args: readonly string[]): Promise<unknown>;
  remove(): Promise<void>;
}

/** Creates a project from copies of these settings files and from these files, by path. */
export async function plantProject(
  settings: readonly string[],
  files: Readonly<Record<string, string>>,
): Promise<PlantedProject> {
  const folder = await mkdtemp(join(tmpdir(), 'baton-planted-'));
  for (const file of settings) await cp(join(projectRoot, file), join(folder, file));
  await symlink(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return {
    run: (program, ...args) => runProgram(folder, program, args),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function runProgram(cwd: string, program: string, args: readonly string[]): Promise<unknown> {
  const path = join(projectRoot, 'node_modules', program);
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [path, ...args], { cwd, maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout));
      } catch {
        reject(new Error(`${program} printed no JSON: ${stdout}${stderr}`));
      }
    });
  });
}
