import type { ListAuthorizationsRequest } from '@countersign/proto/ledger';
import type { Pool } from '@countersign/runtime/database';
import type { Page } from '@countersign/runtime/grpc/page';
import { tenantOf } from '@countersign/runtime/grpc/tenant';

/** $1 Principal, $2 from, $3 and $4 the time and id to stay below, $5 limit. */
const oneRange = (where: string, order = '') => `
  SELECT r.id, r.agent_id, r.created_at FROM authorization_record r
  WHERE r.principal_id = $1 AND ${where}
    AND r.created_at >= $2::timestamptz AND (r.created_at, r.id) < ($3::timestamptz, $4)
  ORDER BY ${order} r.created_at DESC, r.id DESC LIMIT $5`;

/** Written out, or the planner would not see that the index of such records has them all. */
const notApproved = `r.decision <> 'APPROVE'`;

/**
 * A range for each agent, and one for the records that name none. No index has the records of a
 * Principal by time alone: it would cost every payment, for a list that is rarely read. Instead the
 * agents are read off the index, each with its newest record. As many agents as the page has rows
 * can contribute to it: those whose newest records are the newest.
 */
const ofAllAgents = (where: string, known: string) => `
  WITH RECURSIVE agent (id) AS (
    (
      SELECT r.agent_id FROM authorization_record r
      WHERE r.principal_id = $1 AND r.agent_id > '' AND ${known}
      ORDER BY r.agent_id LIMIT 1
    )
    UNION ALL
    SELECT (
      SELECT r.agent_id FROM authorization_record r
      WHERE r.principal_id = $1 AND r.agent_id > agent.id AND ${known}
      ORDER BY r.agent_id LIMIT 1
    )
    FROM agent WHERE agent.id IS NOT NULL
  ), contributing AS (
    SELECT newest.agent_id AS id
    FROM agent CROSS JOIN LATERAL (
      SELECT * FROM (${oneRange(`r.agent_id = agent.id AND ${where}`)}) ranged LIMIT 1
    ) newest
    ORDER BY newest.created_at DESC, newest.id DESC LIMIT $5
  )
  SELECT id FROM (
    SELECT ranged.id, ranged.created_at
    FROM contributing CROSS JOIN LATERAL (
      ${oneRange(`r.agent_id = contributing.id AND ${where}`)}
    ) ranged
    UNION ALL
    SELECT ranged.id, ranged.created_at
    FROM (${oneRange(`r.agent_id IS NULL AND ${where}`, 'r.agent_id,')}) ranged
  ) found
  ORDER BY created_at DESC, id DESC LIMIT $5`;

const decided = (place: string) => `${notApproved} AND r.decision = ${place}`;
const statements = {
  key: oneRange('r.idempotency_key = $6'),
  reference: oneRange('r.client_reference = $6'),
  agent: oneRange('r.agent_id = $6'),
  agentAndDecision: oneRange(`r.agent_id = $6 AND ${decided('$7')}`),
  all: ofAllAgents('true', 'true'),
  decision: ofAllAgents(decided('$6'), notApproved),
};

type Asked = Omit<ListAuthorizationsRequest, 'page'>;

/** The ids of a page of records, newest first. */
export async function readLogPage(pool: Pool, asked: Asked, page: Page): Promise<string[]> {
  const { principalId } = tenantOf(asked);
  const { from = '-infinity', until = 'infinity' } = asked;
  const { after } = page;
  // Every id is greater than the empty one, so that a row of that very time is above the bound.
  const below = after ? [after.createdAt.toISOString(), after.id] : [until, ''];
  const [statement, selection] = selectionOf(asked);
  const values = [principalId, from, ...below, page.take, ...selection];
  const { rows } = await pool.query<{ id: string }>(statement, values);
  return rows.map(({ id }) => id);
}

function selectionOf(asked: Asked): [statement: string, selection: string[]] {
  const { agentId, clientReference, firstDecision, idempotencyKey } = asked;
  if (idempotencyKey !== undefined) return [statements.key, [idempotencyKey]];
  if (clientReference !== undefined) return [statements.reference, [clientReference]];
  if (agentId === undefined) {
    return firstDecision === undefined
      ? [statements.all, []]
      : [statements.decision, [firstDecision]];
  }
  return firstDecision === undefined
    ? [statements.agent, [agentId]]
    : [statements.agentAndDecision, [agentId, firstDecision]];
}
