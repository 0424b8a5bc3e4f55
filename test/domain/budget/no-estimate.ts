import type { Estimate } from '../../../domain/budget';

export const noEstimate: Estimate = { tokens: 0, microUsd: 0, turns: 0 };
