export { bareFanOut, bareChild } from './bare-fan-out';
export { rawByValue } from './by-value';
export { rawFanOut, rawChild } from './fan-out';
