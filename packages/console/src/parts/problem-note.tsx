import type { Problem } from '../api/problem.js';

/** The message of the API, and the request id for searching its logs. */
export function ProblemNote({ problem }: { problem: Problem }) {
  const { message, code, status, requestId, fields } = problem;
  const facts = [status === null ? '' : String(status), code].filter(Boolean).join(' ');
  return (
    <div class="note bad" role="alert">
      <p>{message}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map(({ field, message: what }) => (
            <li key={field}>
              {field !== '' && <code>{field}</code>} {what}
            </li>
          ))}
        </ul>
      )}
      {(facts || requestId) && (
        <p class="quiet">
          {facts}{' '}
          {requestId && (
            <>
              request <code>{requestId}</code>
            </>
          )}
        </p>
      )}
    </div>
  );
}
