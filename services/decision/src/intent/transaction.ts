import { isAccount, isAddress, isAsset } from './caip.js';
import type { Examination } from './examination.js';
import type { FinalPayment } from './final-payment.js';
import type { Findings } from './findings.js';
import { isText } from './json-object.js';
import { minorUnits } from './minor-units.js';
import type { IntentSubject } from './shape.js';

type Transfer = NonNullable<IntentSubject['crypto']>;

/** The requested payment must equal the signed one; a smaller amount is a mismatch as well. */
export function examineTransaction(signed: FinalPayment, examination: Examination): void {
  const { subject, findings } = examination;
  const equal =
    signed.currency === subject.currency &&
    signed.amount === minorUnits(subject.amount, subject.currency);
  const detail = 'amount and currency are not those of the signed payment mandate';
  findings.expect(equal, 'VI_TRANSACTION_MISMATCH', detail);
  if (subject.crypto) examineTransfer(signed, subject, examination);
  else examinePurchase(signed, examination);
}

function examinePurchase(signed: FinalPayment, { subject, findings }: Examination): void {
  const { payee, instrument } = signed;
  const onChain = instrument.type === 'x402' || instrument.type === 'crypto';
  const detail = 'the signed payment mandate pays from a wallet, not from a card';
  findings.expect(!onChain, 'VI_TRANSACTION_MISMATCH', detail);
  examinePayee(payee, subject, findings);
}

function examinePayee(
  payee: FinalPayment['payee'],
  subject: IntentSubject,
  findings: Findings,
): void {
  if (isText(payee.id)) {
    // The gateway has normalized the id of the payment, for comparisons with allowlists.
    const same = payee.id.normalize('NFC') === subject.merchantId;
    const wrong = 'merchant_id is not the payee of the signed payment mandate; send its id';
    findings.expect(same, 'VI_TRANSACTION_MISMATCH', wrong);
    return;
  }
  const same = payee.name === subject.merchantName;
  const wrong = 'merchant_name is not the payee of the signed payment mandate; send its name';
  findings.expect(same, 'VI_TRANSACTION_MISMATCH', wrong);
}

function examineTransfer(
  signed: FinalPayment,
  subject: IntentSubject,
  { findings }: Examination,
): void {
  const { crypto } = subject;
  if (!crypto) return;
  const { payee, instrument } = signed;
  if (instrument.type === 'x402' || 'payee_address' in instrument) {
    const same = isAddress(instrument.payee_address, crypto.counterparty);
    const detail = 'crypto.counterparty is not the payee_address of the signed payment mandate';
    findings.expect(same, 'VI_TRANSACTION_MISMATCH', detail);
  }
  if (instrument.type === 'x402') examinePayee(payee, subject, findings);
  else if (instrument.type === 'crypto') examineAccounts(signed, crypto, findings);
  else {
    const detail = 'the signed payment mandate does not pay from a wallet';
    findings.add('VI_TRANSACTION_MISMATCH', detail);
  }
}

/** For instruments that name payer, payee and asset on a chain. */
function examineAccounts(
  { payee, instrument }: FinalPayment,
  { chain, asset, counterparty, fromAddress }: Transfer,
  findings: Findings,
): void {
  const receiver = isAccount(payee.id, chain, counterparty);
  const wrong = 'crypto.counterparty on its chain is not the payee of the signed payment mandate';
  findings.expect(receiver, 'VI_TRANSACTION_MISMATCH', wrong);
  // Left out, it would let any account pay, and settle the payment, for the one that was signed.
  const sender = fromAddress !== null && isAccount(instrument.id, chain, fromAddress);
  const other =
    'crypto.from_address is not the account of the signed payment_instrument; send that address';
  findings.expect(sender, 'VI_TRANSACTION_MISMATCH', other);
  const same = isAsset(instrument.asset, chain, asset);
  const detail = 'crypto.asset on its chain is not the asset of the signed payment mandate';
  findings.expect(same, 'VI_TRANSACTION_MISMATCH', detail);
}
