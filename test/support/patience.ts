// Jest takes a time limit for all projects or none; tests on a server, and hooks that replay what ran there, need more than
// others, most of all on a machine three times slower than this one.
jest.setTimeout(180_000);
