// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// A token in the old style: uint96 powers, getPriorVotes and getCurrentVotes, no clock and no getVotes.
contract PriorToken {
    struct Checkpoint {
        uint256 fromBlock;
        uint96 votes;
    }

    mapping(address => uint96) public balanceOf;
    mapping(address => address) public delegates;
    mapping(address => Checkpoint[]) private history;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event DelegateChanged(address indexed delegator, address indexed fromDelegate, address indexed toDelegate);
    event DelegateVotesChanged(address indexed delegate, uint256 previousBalance, uint256 newBalance);

    function mint(address to, uint96 amount) external {
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
        move(address(0), delegates[to], amount);
    }

    function transfer(address to, uint96 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
        move(delegates[msg.sender], delegates[to], amount);
    }

    function delegate(address to) external {
        address from = delegates[msg.sender];
        delegates[msg.sender] = to;
        emit DelegateChanged(msg.sender, from, to);
        move(from, to, balanceOf[msg.sender]);
    }

    function getCurrentVotes(address account) public view returns (uint96) {
        uint256 count = history[account].length;
        return count == 0 ? 0 : history[account][count - 1].votes;
    }

    function getPriorVotes(address account, uint256 blockNumber) external view returns (uint96) {
        require(blockNumber < block.number, "not yet determined");
        for (uint256 i = history[account].length; i > 0; i--) {
            if (history[account][i - 1].fromBlock <= blockNumber) return history[account][i - 1].votes;
        }
        return 0;
    }

    function move(address from, address to, uint96 amount) private {
        if (from == to || amount == 0) return;
        if (from != address(0)) write(from, getCurrentVotes(from) - amount);
        if (to != address(0)) write(to, getCurrentVotes(to) + amount);
    }

    function write(address account, uint96 votes) private {
        emit DelegateVotesChanged(account, getCurrentVotes(account), votes);
        uint256 count = history[account].length;
        if (count > 0 && history[account][count - 1].fromBlock == block.number) {
            history[account][count - 1].votes = votes;
        } else {
            history[account].push(Checkpoint(block.number, votes));
        }
    }
}

/// A token whose logs tell less power than it counts.
contract LyingToken is PriorToken {
    function lie(address account) external {
        emit DelegateVotesChanged(account, 0, 1);
    }
}
