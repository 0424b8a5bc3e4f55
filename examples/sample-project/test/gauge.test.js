import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forecast } from '../src/forecast.js';
import { isStuck } from '../src/gauge.js';

const reading = (centimetres) => ({ station: 'north', takenAt: '2026-11-01T06:00Z', centimetres });

test('a gauge is stuck after three equal readings', () => {
  assert.equal(isStuck([reading(120), reading(120)]), false);
  assert.equal(isStuck([reading(120), reading(120), reading(120)]), true);
});

test('the forecast follows the trend of the last two readings', () => {
  assert.equal(forecast([reading(120)], 1), undefined);
  assert.equal(forecast([reading(120), reading(110)], 2), 90);
});
