import { runWorkflowId } from '../../domain/kernel';
import { readTree } from '../delegation/read-tree';
import { FiguresReader, type FigureSources, type RunFigures } from './run-figures';

/** Reads what the agents of a run have consumed, once. Keep a `FiguresReader` to look again and again. */
export function readRunFigures(sources: FigureSources, runId: string): Promise<RunFigures> {
  return new FiguresReader(sources).read(() => readTree(sources.client, runWorkflowId(runId)));
}
