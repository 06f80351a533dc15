import type { ConfirmStepUpResponse } from '@countersign/proto/decision';

export function stepUpConfirmedView(authorizationId: string, confirmed: ConfirmStepUpResponse) {
  return {
    success: true,
    authorization_id: authorizationId,
    confirmed_by: confirmed.confirmedBy,
    confirmed_at: confirmed.confirmedAt,
  };
}

export function stepUpDeniedView(authorizationId: string, deniedBy: string) {
  return {
    success: true,
    authorization_id: authorizationId,
    denied_by: deniedBy,
    new_decision: 'DECLINE',
  };
}
