import type { BenchContext, Benchmark } from '../runner/benchmark';
import { baton, type Contender, peers } from './contenders';
import { install, isInstalled } from './installation';
import { PeerModel } from './model/process';
import { rowsOf } from './rows';
import { playChildren } from './scenes/children';
import type { Figures, Results } from './scenes/figures';
import { playKill } from './scenes/kill';
import { playLoop } from './scenes/loop';
import { Stage } from './stage';

/** Other systems on the same work, with the same model, on the same machine. */
export const besideOthers: Benchmark = {
  names: peers.map(({ name }) => `peer.${name}`),
  about:
    'Bytes, time, children per second and the cost of a SIGKILL, of Baton and of other systems. Installs them in bench/peers.',
  onlyByName: true,
  async run(context) {
    const wanted = peers.filter(({ name }) => context.wants(`peer.${name}`));
    if (!isInstalled() && !context.quick) await install(context.log);
    if (!isInstalled()) context.log('The other systems are not installed in bench/peers: only Baton is played.');
    return rowsOf(await playAll(context, [baton, ...(isInstalled() ? wanted : [])]));
  },
};

async function playAll(context: BenchContext, contenders: readonly Contender[]): Promise<Results> {
  const environment = await context.environment('idle');
  const model = await PeerModel.start();
  const around = { model, folder: await context.folder(), temporal: environment.variables['TEMPORAL_ADDRESS'] ?? '' };
  const results = new Map<string, Figures[]>();
  const dropped = new Set<Contender>();
  try {
    for (let round = 1; round <= context.rounds(2); round += 1)
      for (const contender of contenders.filter((one) => !dropped.has(one))) {
        const figures = await playOne(context, contender, around, round);
        if (figures === undefined) dropped.add(contender);
        else results.set(contender.name, [...(results.get(contender.name) ?? []), figures]);
      }
  } finally {
    await model.close();
  }
  return results;
}

/** Plays one system. One that does not start here is left out, with the reason; Baton must. */
async function playOne(
  context: BenchContext,
  contender: Contender,
  around: Parameters<typeof Stage.open>[1],
  round: number,
): Promise<Figures | undefined> {
  let stage: Stage | undefined;
  try {
    stage = await Stage.open(contender, around);
    return await playScenes(context, stage, round);
  } catch (error) {
    if (contender === baton) throw error;
    context.log(`${contender.name} is left out: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  } finally {
    await stage?.close();
  }
}

async function playScenes({ quick, log }: BenchContext, stage: Stage, round: number): Promise<Figures> {
  const at = quick ? [2, 4] : [10, 50, 100, 200];
  const work = quick ? { turns: 4, at: 2 } : { turns: 50, at: 25 };
  let figures: Figures = await stage.play((play) => playLoop(play, at, log));
  figures = { ...figures, ...(await stage.play((play) => playChildren(play, quick ? 2 : 100))) };
  // What a kill costs does not vary.
  if (round === 1)
    for (const point of ['model', 'tool'] as const)
      figures = { ...figures, ...(await stage.play((play) => playKill(play, point, work))) };
  log(`${stage.contender.name}, round ${round}: ${JSON.stringify(figures)}`);
  return figures;
}
