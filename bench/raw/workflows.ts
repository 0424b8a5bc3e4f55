export { rawByValue } from './by-value';
export { rawFanOut, rawChild } from './fan-out';
