# SPDX-License-Identifier: Apache-2.0
# busy - a real interpreter at mixed work (hashes, sorting, matching, formatting): busy.pl SECONDS
use strict;
use warnings;

my $end = time + $ARGV[0];
my $result = 0;
while (time < $end) {
	my (%lengths, @words);
	for my $i (1 .. 20000) {
		my $key = "key" . ($i * 7919 % 5003);
		$lengths{$key} += length $key;
		push @words, $key if $i % 7 == 0;
	}
	@words = sort { $a cmp $b } @words;
	my $text = join ",", @words;
	$result++ while $text =~ /k(e)y(\d+)5/g;
	$text =~ tr/0-9/a-j/;
	$result += unpack("%32C*", $text);
	my @numbers = map { sprintf "%08x", $_ * 3 } 1 .. 3000;
	$result += () = split /,/, $text;
}
