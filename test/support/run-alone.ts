import TestRunner from 'jest-runner';

/** Runs test files one after the other. */
export default class RunAlone extends TestRunner {
  override readonly isSerial = true;
}
