// The passages that the assessors of a pair marked, shown in its document.
import { Passages } from "./passages.js";

new Passages(document.querySelector(".discussing"));
