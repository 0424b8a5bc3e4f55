import { readRunChanges } from '../../../client/workspace/run-changes';
import type { RunResult } from '../../../domain/agent';
import { readSpilled } from '../../../store/blobs';
import { filesQuery } from '../../../workflows/messages';
import { artifactsOf, fileWriters, writesOf } from '../tree/expected';
import { type AgentPlan, childrenOf } from '../tree/plan';
import { answerIn } from '../tree/play';
import { deviations } from './counts';
import type { Check } from './look';

/** The answer of the root, which contains those of all others, is the one that its plan leads to. */
export const sameAnswer: Check = async ({ round, expected }) => {
  const { answer } = (await round.handle.result()) as RunResult;
  const text = await readSpilled(round.session.store.forRun(round.tree.runId), answer, 'answer');
  const { root } = round.tree;
  const { name } = root.isRelay === true ? childrenOf(root).at(-1)! : root;
  const found = answerIn(text, name) ?? text;
  const wanted = expected.answer();
  return found === wanted ? [] : [`the answer is ${found} instead of ${wanted}`];
};

/** No agent was told something else than in an undisturbed run. */
export const sameToolResults: Check = ({ round }) => [...round.wronglyTold];

/**
 * The root has the files of its session and the artifacts of all agents, and nothing else. Files of other sessions reach
 * it as artifacts, unless it is a relay, which merges files and must not mistake these for its own.
 */
export const sameFiles: Check = async ({ round, expected }) => {
  const { artifacts } = await round.handle.query(filesQuery);
  const { client, store } = round.session;
  const paths = (await readRunChanges(client, store, round.tree.runId)).map(({ path }) => path);
  // Names of handoffs depend on ids, and long outputs of commands are artifacts as well.
  const names = artifacts.map(({ name }) => name).filter((name) => !/HANDOFF|^commands\//.test(name));
  const { root } = round.tree;
  const writers = fileWriters(root);
  const left = (agent: AgentPlan): string[] =>
    root.isRelay === true || writers.includes(agent)
      ? artifactsOf(agent)
      : [...artifactsOf(agent), ...writesOf(agent).files];
  const isFinished = (agent: AgentPlan): boolean => expected.finished.includes(agent);
  return [
    ...deviations('file', paths, {
      once: writers.filter(isFinished).flatMap((agent) => writesOf(agent).files),
      maybe: writers.filter((agent) => !isFinished(agent)).flatMap((agent) => writesOf(agent).files),
    }),
    ...deviations('artifact', names, {
      once: expected.finished.flatMap(left),
      maybe: expected.cutShort.flatMap(left),
    }),
  ];
};
