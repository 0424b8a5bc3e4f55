import { defineQuery } from '@temporalio/workflow';
import type { RunSnapshot } from '../domain/run/result';

/** Where a run stands now. */
export const snapshotQuery = defineQuery<RunSnapshot>('snapshot');
