import { defineQuery } from '@temporalio/workflow';
import type { AgentFiles, RunSnapshot } from '../domain/run/result';

/** Where an agent stands now. */
export const snapshotQuery = defineQuery<RunSnapshot>('snapshot');

/** The files and artifacts of an agent, as refs into the store. */
export const filesQuery = defineQuery<AgentFiles>('files');
