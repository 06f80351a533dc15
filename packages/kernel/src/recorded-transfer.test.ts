import { test } from 'tap';
import { recordedTransfer } from './recorded-transfer.js';

const crypto = {
  chain: 'base',
  asset: 'USDC',
  counterparty: '0xbb',
  value: '49',
  operation: 'transfer',
};
const whole = { ...crypto, fromAddress: null };

test('the transfer of a payment is found in what was recorded of it', async (t) => {
  t.same(recordedTransfer(JSON.stringify({ facts: { payment: { crypto } } })), whole);
  t.same(
    recordedTransfer(JSON.stringify({ payment: { crypto } })),
    whole,
    'of one that failed safe',
  );
  const from = { ...crypto, fromAddress: '0xaa', operation: undefined };
  t.same(recordedTransfer(JSON.stringify({ facts: { payment: { crypto: from } } })), {
    ...whole,
    fromAddress: '0xaa',
  });
});

test('a record without a complete transfer has none', async (t) => {
  for (const record of [
    '',
    '{}',
    '{"facts":{"payment":{}}}',
    '{"payment":{"crypto":null}}',
    ...['chain', 'asset', 'value'].map((missing) =>
      JSON.stringify({ facts: { payment: { crypto: { ...crypto, [missing]: undefined } } } }),
    ),
  ]) {
    t.equal(recordedTransfer(record), null, record);
  }
});
