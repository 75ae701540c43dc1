// SPDX-License-Identifier: Apache-2.0
// format - numbers and elements, for people

const NUMBERS = new Intl.NumberFormat("en");

function plain(number) {
  return NUMBERS.format(number);
}

function percent(part, whole) {
  const value = whole > 0 ? 100 * part / whole : 0;
  if (value > 0 && value < .01)
    return "< 0.01 %";
  return `${value.toFixed(value < 1 ? 2 : 1)} %`;
}

function seconds(value) {
  const whole = Math.round(value);
  if (whole >= 60)
    return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return value >= 1 ? `${value.toFixed(2)} s` : `${(value * 1000).toFixed(0)} ms`;
}

// The short form of a file name; a path is shown in full where it fits.
function baseName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

// An element with text; the text is never read as markup.
function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className)
    element.className = className;
  if (text !== undefined)
    element.textContent = text;
  return element;
}

function find(id) {
  return document.getElementById(id);
}
