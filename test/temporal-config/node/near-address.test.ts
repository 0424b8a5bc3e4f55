import { isNear } from '../../../temporal-config/node/near-address';

test.each([
  'localhost:7233',
  '127.0.0.1:7233',
  '127.0.0.1',
  '[::1]:7233',
  '10.1.2.3:7233',
  '172.16.0.1:7233',
  '172.31.255.255:7233',
  '192.168.1.9:7233',
  '[fd00::1]:7233',
])('%s is near', (address) => {
  expect(isNear(address)).toBe(true);
});

test.each([
  'example.com:7233',
  'localhost.example.com:7233',
  '10.example.com:7233',
  'prod.a1b2c.tmprl.cloud:7233',
  '8.8.8.8:7233',
  '172.32.0.1:7233',
  '[2001:db8::1]:7233',
])('%s may be far', (address) => {
  expect(isNear(address)).toBe(false);
});
