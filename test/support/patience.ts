// Jest has one time limit for all projects. Tests on a server, and hooks that replay what ran there, need more than
// others, especially on a machine that is three times slower.
jest.setTimeout(300_000);
