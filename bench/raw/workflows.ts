export { rawBatch, rawBatchChild } from './batch';
export { rawFanOut, rawChild } from './fan-out';
export { rawLoop, rawLoopOfTurns } from './loop';
