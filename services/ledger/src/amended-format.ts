import type { BusEvent } from '@countersign/kernel/event';

const open = '\ue000';
const close = '\ue001';
const places = new RegExp(`"${open}(\\d)${close}"`, 'g');

/** The placeholder for the n-th value that the database fills in, counted from 1. */
export function place(n: number): string {
  return `${open}${n}${close}`;
}

/**
 * An event with values that are known only under a lock, as a pattern for PostgreSQL's format().
 * The values are JSON themselves, so the pattern has no quotes around them.
 */
export function eventFormat(event: BusEvent<'authorization.amended'>): string {
  return JSON.stringify(event).replaceAll('%', '%%').replace(places, '%$1$$s');
}
