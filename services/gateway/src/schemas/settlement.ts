import { z } from 'zod';
import { answeredId, idOf } from './id.js';
import { chain } from './mandate.js';
import { sent } from './sent.js';
import { form } from './text.js';
import { answeredTime } from './time.js';

const exampleHash = `0x${'9f86d081884c7d65'.repeat(4)}`;

const evmAddress = form(/^0x[0-9a-fA-F]{40}$/, 'must be an EVM address: 0x and 40 hex digits').meta(
  {
    examples: ['0x52908400098527886E0F7030069857D2E4169EE7'],
  },
);

export const reportSettlement = z
  .strictObject({
    authorization_id: idOf('authorization'),
    tx_hash: form(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits')
      .transform((value) => value.toLowerCase())
      .meta({ override: { type: 'string', examples: [exampleHash] } }),
    chain: chain.default('base'),
    from_address: evmAddress.optional(),
    to_address: evmAddress.optional(),
    value_raw: form(
      /^(0|[1-9]\d{0,77})$/,
      'must be a whole number of token base units, of at most 78 digits',
    )
      .optional()
      .meta({ description: 'Token base units.', examples: ['10000000'] }),
  })
  .meta({
    id: 'ReportSettlement',
    ...sent({
      authorization_id: 'auth_01k5a3v7q8e9f0g1h2j3k4m5n6',
      tx_hash: exampleHash,
      chain: 'base',
    }),
  });

export const settlement = z
  .object({
    id: answeredId('settlement'),
    authorization_id: answeredId('authorization'),
    chain: z.string().meta({ examples: ['base'] }),
    tx_hash: z.string().meta({ examples: [exampleHash] }),
    status: z.enum(['SUBMITTED', 'PENDING', 'SETTLED', 'FAILED']),
    confirmations: z.int().meta({ examples: [0] }),
    block_number: z
      .int()
      .nullable()
      .meta({ examples: [null] }),
    settled_at: answeredTime().nullable(),
    created_at: answeredTime(),
    required_confirmations: z.int().meta({ examples: [12] }),
    failure_reason: z
      .string()
      .nullable()
      .meta({ examples: [null] }),
  })
  .meta({ id: 'CryptoSettlement' });

export const settlementList = z.array(settlement).meta({ id: 'CryptoSettlementList' });
