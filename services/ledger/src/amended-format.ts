import type { BusEvent } from '@countersign/kernel/event';

const open = '\ue000';
const close = '\ue001';
const places = new RegExp(`"${open}(\\d)${close}"`, 'g');

/** The placeholder for the n-th value that the database inserts, counted from 1. */
export function placeholder(n: number): string {
  return `${open}${n}${close}`;
}

/**
 * A template for PostgreSQL's format() of an event with values that are only known under a lock.
 * The values are JSON themselves, so the template has no quotes around them.
 */
export function eventFormat(event: BusEvent<'authorization.amended'>): string {
  return JSON.stringify(event).replaceAll('%', '%%').replace(places, '%$1$$s');
}
